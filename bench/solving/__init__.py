# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
"""What bench/solver.py, bench/contacts.py and bench/solver_trust.py share: troubles, figures, targets, rigs."""

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
exec "${PYTHON:-python3}" "$(dirname "$0")/anymove.py" matrix "$@"

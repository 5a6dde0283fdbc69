# SPDX-License-Identifier: Apache-2.0
# For those who type make first; the work is done by the scripts in tools/.
.PHONY: demo test
demo:
	tools/demo
test:
	tools/test

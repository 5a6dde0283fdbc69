# SPDX-License-Identifier: Apache-2.0
# Targets that call the scripts in tools/.
.PHONY: demo test
demo:
	tools/demo
test:
	tools/test

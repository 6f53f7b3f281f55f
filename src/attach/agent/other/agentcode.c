/* Processors without an agent. */
#include "attach/agent/agentcode.h"

const unsigned char agentcode_start[1] = {0}, agentcode_end[1] = {0};

/**
 * No separate context: tests run in the process as the service does (test-runner.js). Stacks of
 * failures start in the test.
 */
export default class WholeProcess {
  global = {};
  moduleMocker = { clearAllMocks() {}, resetAllMocks() {}, restoreAllMocks() {} };
  fakeTimers = null;
  fakeTimersModern = null;

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }

  async setup() {}

  async teardown() {}

  /** Circus reports each event of a file here, failures before it formats them. */
  handleTestEvent({ error }) {
    if (typeof error?.stack === 'string') error.stack = readable(error.stack);
  }
}

const OWN_FRAME = /^ +at .*\/(?:test\/support\/runner|for-tests\/node_modules\/@jest)\/.*\n?/gm;
/** Jest leaves out frames that begin so, and with them the rows of tables. */
const UNNAMED = /^( +at (?:async )?)<anonymous> \(/gm;

function readable(stack) {
  return stack.replaceAll(OWN_FRAME, '').replaceAll(UNNAMED, '$1Object.<anonymous> (');
}

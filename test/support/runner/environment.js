/** No separate context: tests run in the process as the service does (test-runner.js). */
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
}

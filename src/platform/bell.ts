/** Wakes a loop. A ring while the loop works is not lost: its next wait then ends at once. */
export class Bell {
  private rung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /**
   * Resolves with true at a ring since the last wait, and with false after `atMostMs` without one.
   * One wait at a time.
   */
  async wait(atMostMs?: number): Promise<boolean> {
    if (!this.rung) {
      await new Promise<void>((resolve) => {
        const timer = atMostMs === undefined ? undefined : setTimeout(resolve, atMostMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.wake = undefined;
    }
    const { rung } = this;
    this.rung = false;
    return rung;
  }
}

/** Wakes a loop. A wake-up while the loop works is not lost: its next wait then ends at once. */
export class WakeSignal {
  private isWoken = false;
  private resume: (() => void) | undefined;

  wake(): void {
    this.isWoken = true;
    this.resume?.();
  }

  /**
   * Resolves with true at a wake-up since the last wait, and with false after `atMostMs` without
   * one. One wait at a time.
   */
  async wait(atMostMs?: number): Promise<boolean> {
    if (!this.isWoken) {
      await new Promise<void>((resolve) => {
        const timer = atMostMs === undefined ? undefined : setTimeout(resolve, atMostMs);
        this.resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.resume = undefined;
    }
    const { isWoken } = this;
    this.isWoken = false;
    return isWoken;
  }
}

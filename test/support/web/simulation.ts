/** What rules would have made of past requests, as the page tells it. */
import type { Page } from 'playwright-core';
import { until } from '../waiting.ts';

/** The service ends a page of a simulation after a second. On a busy machine, people go on with the next one. */
export async function untilSimulated(page: Page, figure: string): Promise<void> {
  const goOn = page.getByRole('button', { name: 'Go on' });
  await until(figure, async () => {
    if (await page.getByText(figure).isVisible()) return true;
    // It leaves once the last page is there.
    if (await goOn.isVisible()) await goOn.click({ timeout: 5_000 }).catch(() => undefined);
    return false;
  });
}

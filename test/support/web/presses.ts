/** Buttons that a page offers only for a while, or only on a busy machine. */
import type { Locator, Page } from 'playwright-core';
import { until } from '../waiting.ts';

/** Presses it whenever it is there, until what people wait for is. */
export async function pressUntil(shown: Locator, button: Locator): Promise<void> {
  await until('what the button leads to is there', async () => {
    if (await shown.isVisible()) return true;
    // It may leave while it is pressed.
    if (await button.isVisible()) await button.click({ timeout: 5_000 }).catch(() => undefined);
    return false;
  });
}

/** What rules would have made of past requests. The service ends a page of a simulation after a second, and people continue. */
export const untilSimulated = async (page: Page, figure: string): Promise<void> => {
  await pressUntil(page.getByText(figure), page.getByRole('button', { name: 'Go on' }));
};

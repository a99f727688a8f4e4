/** In the place of endpoints where the deployment has no secrets key. */
import { Empty } from '../../shared/page/empty.tsx';
import { Page } from '../../shared/page/page.tsx';
import { endpoints as text } from './text.ts';

export const WithoutKey = () => (
  <Page title={text.title} hint={text.hint}>
    <Empty title={text.noKeyTitle}>
      <p>{text.noKey}</p>
    </Empty>
  </Page>
);

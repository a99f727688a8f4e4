/** The password and the second factor. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { accountQuery } from '../../shared/session/session.ts';
import { security as text } from './security-text.ts';
import { Password } from './password.tsx';
import { SecondFactor } from './second-factor/second-factor.tsx';
import { Page } from '../../shared/page/page.tsx';

export function Security() {
  const { data: account } = useSuspenseQuery(accountQuery);
  return (
    <Page title={text.title}>
      <Password account={account} />
      <SecondFactor account={account} />
    </Page>
  );
}

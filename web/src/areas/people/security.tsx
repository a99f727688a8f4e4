/** The password and the second factor. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTitle } from '../../shared/page/title.ts';
import { accountQuery } from '../../shared/session/session.ts';
import { security as text } from '../../shared/text/security.ts';
import { Password } from './password.tsx';
import { SecondFactor } from './second-factor/second-factor.tsx';

export function Security() {
  useTitle(text.title);
  const { data: account } = useSuspenseQuery(accountQuery);
  return (
    <>
      <h1>{text.title}</h1>
      <Password account={account} />
      <SecondFactor account={account} />
    </>
  );
}

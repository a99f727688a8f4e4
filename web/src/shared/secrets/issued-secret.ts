/** Calls that return a secret. It stays in the state of the component that shows it, and in no cache. */
import { useState } from 'react';
import { useSensitiveMutation } from '../session/recent-authentication.tsx';

interface Issued<Result> {
  /** Undefined when the service passed it on itself. */
  readonly secret: string | undefined;
  /** Everything else of the response. */
  readonly result: Result;
}

export function useIssuedSecret<Result, Variables = void>(
  issue: (variables: Variables) => Promise<Issued<Result>>,
) {
  const [secret, setSecret] = useState<string>();
  const issuing = useSensitiveMutation<Result, Variables>({
    mutationFn: async (variables) => {
      const issued = await issue(variables);
      setSecret(issued.secret);
      return issued.result;
    },
  });
  return {
    issuing,
    secret,
    /** Once the person has stored it. */
    forget: () => {
      setSecret(undefined);
    },
  };
}

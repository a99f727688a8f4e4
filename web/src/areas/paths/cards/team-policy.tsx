/** Unfolds how a team is asked, below its chip. */
import { PolicyPeek } from '../policy/policy-peek.tsx';
import { useState } from 'react';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { policy as text } from '../policy/text.ts';

export function TeamPolicy({ teamId }: { readonly teamId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <LinkButton
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        {isOpen ? text.hide : text.show}
      </LinkButton>
      {isOpen && <PolicyPeek teamId={teamId} />}
    </>
  );
}

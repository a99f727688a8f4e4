/** Why a button cannot be pressed without a network. The bar of the decision announces it, and this describes a button. */
import { useOnline } from '../../../shared/browser/online.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import classes from './people-section.module.css';

/** `id`: what buttons name in `aria-describedby`. */
export function OfflineReason({ id }: { readonly id: string }) {
  return (
    <p id={id} className={classes['hint']}>
      {!useOnline() && text.needsNetwork}
    </p>
  );
}

/** The button that leads to the identity provider and from there to `path`. */
import { Button } from '../../shared/design/button.tsx';
import { singleSignOnPath } from '../../shared/session/return-to.ts';
import { signIn as text } from '../../shared/text/sign-in.ts';
import classes from './page.module.css';

export function SingleSignOn({ name, path }: { readonly name: string; readonly path: string }) {
  return (
    <>
      <Button
        isSecondary
        onClick={() => {
          location.assign(singleSignOnPath(path));
        }}
      >
        <span>
          {text.continueWith} <bdi>{name}</bdi>
        </span>
      </Button>
      <p className={classes['or']}>{text.or}</p>
    </>
  );
}

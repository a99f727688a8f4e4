/** A QR code. What draws it loads with the first one. */
import { lazy, Suspense } from 'react';
import { loadPart } from '../../browser/new-build.ts';
import classes from './qr-code.module.css';

const Drawing = lazy(async () => {
  const { QrDrawing } = await loadPart(() => import('./qr-drawing.tsx'));
  return { default: QrDrawing };
});

export function QrCode(props: { readonly data: string; readonly label: string }) {
  return (
    <Suspense fallback={<div className={classes['qr']} />}>
      <Drawing {...props} />
    </Suspense>
  );
}

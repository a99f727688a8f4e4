/** The key ? shows the keys of the app. */
import { lazy, Suspense, useState } from 'react';
import { loadPart } from '../../../shared/browser/new-build.ts';
import { useSingleKeys } from '../../../shared/browser/single-keys.ts';

const KeyList = lazy(async () => {
  const { KeyList: component } = await loadPart(() => import('./key-list.tsx'));
  return { default: component };
});

export function KeysDialog() {
  const [isOpen, setOpen] = useState(false);
  useSingleKeys({
    '?': () => {
      setOpen(true);
    },
  });
  if (!isOpen) return null;
  return (
    <Suspense fallback={null}>
      <KeyList
        close={() => {
          setOpen(false);
        }}
      />
    </Suspense>
  );
}

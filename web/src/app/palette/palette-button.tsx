/** Opens the palette, by a press or by Ctrl + K, ⌘ + K on a Mac. */
import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { createPortal } from 'react-dom';
import { loadPart } from '../../shared/browser/new-build.ts';
import { navigation as text } from '../../shared/text/navigation.ts';
import classes from '../navigation.module.css';

const Palette = lazy(async () => {
  const { Palette: component } = await loadPart(() => import('./palette.tsx'));
  return { default: component };
});

// On a Mac, Ctrl + K deletes to the end of a line.
const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

export function PaletteButton({ onOpen }: { readonly onOpen: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (key.toLowerCase() !== 'k' || altKey || shiftKey || !(isMac ? metaKey : ctrlKey)) return;
    event.preventDefault();
    // A dialog may hold what someone typed: it is closed first.
    if (isOpen) setOpen(false);
    else if (!document.querySelector('dialog[open]')) setOpen(true);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      press(event);
    };
    addEventListener('keydown', listen);
    return () => {
      removeEventListener('keydown', listen);
    };
  }, []);
  return (
    <>
      <button
        type="button"
        className={classes['goTo']}
        aria-haspopup="dialog"
        onClick={() => {
          onOpen();
          setOpen(true);
        }}
      >
        {text.goTo} <kbd>{isMac ? text.goToKeysOnMac : text.goToKeys}</kbd>
      </button>
      {isOpen &&
        // On a phone, the menu around the button is hidden meanwhile.
        createPortal(
          <Suspense fallback={null}>
            <Palette
              onClose={() => {
                setOpen(false);
              }}
            />
          </Suspense>,
          document.body,
        )}
    </>
  );
}

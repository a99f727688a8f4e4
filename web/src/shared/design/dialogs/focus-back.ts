/** Gives the focus back to the control that opened a part of the page, where that is no dialog. */
import { useEffect, useRef, type RefObject } from 'react';

/** For the control. It may be gone while the part is open. */
export function useFocusBack(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return opener;
}

/** The JSON editor, whose code is loaded when it is first shown. */
import { lazy, Suspense } from 'react';
import { loadPart } from '../browser/new-build.ts';
import { Loading } from '../page/states.tsx';
import { editor as text } from '../text/editor.ts';
import type { JsonEditorProps } from './json-editor.tsx';

const Editor = lazy(async () => {
  const { JsonEditor } = await loadPart(() => import('./json-editor.tsx'));
  return { default: JsonEditor };
});

export function JsonField(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Loading why={text.loadingJson} />}>
      <Editor {...props} />
    </Suspense>
  );
}

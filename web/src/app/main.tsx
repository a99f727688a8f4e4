/** Starts the web app. */
import '../shared/design/styles.ts';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { takeLinkSecret } from '../shared/browser/link-secret.ts';
import { watchLoading } from '../shared/browser/new-build.ts';
import { keepReplacedTexts } from '../shared/browser/replaced-texts.ts';
import { watchTyping } from '../shared/browser/typing.ts';

keepReplacedTexts();
takeLinkSecret();
watchLoading();
watchTyping();

const root = document.getElementById('app');
if (root) createRoot(root).render(<App />);

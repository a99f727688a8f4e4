/** What the threads of the worker pool run: each function under its own name. */
export { readLargeBody } from '../api/http/large-body.ts';
export { evaluatePreview } from '../src/services/pipelines/preview.ts';
export { evaluateTexts } from '../src/services/requests/evaluate-texts.ts';
export { areEqualTexts } from '../src/services/requests/same-input.ts';

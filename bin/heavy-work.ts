/** What the threads of the worker pool run: each function under its own name. */
import { readLargeBody } from '../api/http/large-body.ts';
import { evaluatePreview } from '../src/services/pipelines/preview.ts';
import { evaluateTexts } from '../src/services/requests/evaluation/evaluate-texts.ts';
import { areEqualTexts } from '../src/services/requests/same-input.ts';

export { areEqualTexts, evaluatePreview, evaluateTexts, readLargeBody };

/** The shown form of a call, with fields as the API returns them. */
import type { MainValue } from '../../../../src/domain/shown/main-values.ts';
import type {
  PresentedCall,
  PresentedField,
  ShownCall,
} from '../../../../src/domain/shown/shown-call.ts';
import type { components } from '../api/openapi.d.ts';

export type Field = components['schemas']['Presentation']['fields'][number];
export type Call = ShownCall<Field>;
export type Presented = PresentedCall<Field>;
export type CallField = PresentedField<Field>;
export type Main = MainValue<Field>;

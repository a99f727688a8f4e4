/** What asking a language model takes: tokens, and money where the deployment names prices. */

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Of a model: for a million tokens, decimals with at most six decimal places, such as `0.25`. */
export interface TokenPrice {
  readonly input: string;
  readonly output: string;
  /** Three letters, such as `USD`. */
  readonly currency: string;
}

/** As responses and audit events print it. */
export interface Cost {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** An exact decimal. Absent without a price, as is `currency`. */
  readonly amount?: string;
  readonly currency?: string;
}

export function costOf({ inputTokens, outputTokens }: TokenUsage, price?: TokenPrice): Cost {
  const tokens = { input_tokens: inputTokens, output_tokens: outputTokens };
  if (!price) return tokens;
  const amount =
    BigInt(inputTokens) * millionths(price.input) + BigInt(outputTokens) * millionths(price.output);
  return { ...tokens, amount: printed(amount), currency: price.currency };
}

const PRICE_PLACES = 6;
/** A price has six decimal places, and is for a million tokens. */
const AMOUNT_PLACES = 12;

function millionths(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(PRICE_PLACES, '0'));
}

function printed(amount: bigint): string {
  const digits = String(amount).padStart(AMOUNT_PLACES + 1, '0');
  const fraction = digits.slice(-AMOUNT_PLACES).replace(/0+$/, '');
  const whole = digits.slice(0, -AMOUNT_PLACES);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

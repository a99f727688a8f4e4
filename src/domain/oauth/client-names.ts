/** Names that clients give themselves. People read them, so a name must not pass for ours, or say that someone checked it. */

/** Letters and digits that read as other ones, once the text is in its compatible form, small and without accents. */
// cspell:disable
const READS_AS: Readonly<Record<string, string>> = {
  ...{ 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't', '|': 'l', '!': 'i', $: 's', '@': 'a' },
  ...{ а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', ғ: 'f', һ: 'h', і: 'i', ј: 'j', к: 'k', ӏ: 'l' },
  ...{ м: 'm', н: 'h', о: 'o', р: 'p', ԛ: 'q', ѕ: 's', т: 't', у: 'y', ѵ: 'v', ԝ: 'w', х: 'x' },
  ...{ α: 'a', β: 'b', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', σ: 'o', τ: 't' },
  ...{ ᴀ: 'a', ʙ: 'b', ᴄ: 'c', ᴅ: 'd', ᴇ: 'e', ꜰ: 'f', ɢ: 'g', ʜ: 'h', ɪ: 'i', ᴊ: 'j', ᴋ: 'k' },
  ...{ ʟ: 'l', ᴍ: 'm', ɴ: 'n', ᴏ: 'o', ᴘ: 'p', ʀ: 'r', ꜱ: 's', ᴛ: 't', ᴜ: 'u', ᴠ: 'v', ᴡ: 'w' },
  ...{ ʏ: 'y', ᴢ: 'z' },
  ...{ υ: 'u', χ: 'x', ϲ: 'c', օ: 'o', ո: 'n', ս: 'u', ց: 'g', հ: 'h', ı: 'i', ɡ: 'g', ɩ: 'i' },
};

const OURS = 'Countersign';
const ANTHROPIC = ['anthropic.com', 'claude.ai', 'claude.com'];
const OPENAI = ['openai.com', 'chatgpt.com'];
const MICROSOFT = ['microsoft.com', 'github.com'];
/** Names that people trust, and the hosts of those they belong to. Anyone can have a metadata document at another host. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  [OURS]: [],
  ...{ Anthropic: ANTHROPIC, Claude: ANTHROPIC, OpenAI: OPENAI, ChatGPT: OPENAI, Codex: OPENAI },
  ...{ Cursor: ['cursor.com', 'cursor.sh'], Windsurf: ['windsurf.com', 'codeium.com'] },
  ...{ Microsoft: MICROSOFT, Copilot: MICROSOFT, GitHub: ['github.com'], GitLab: ['gitlab.com'] },
  ...{ Google: ['google.com'], Gemini: ['google.com'], Mistral: ['mistral.ai'] },
  ...{ Amazon: ['amazon.com'], Apple: ['apple.com'], Slack: ['slack.com'], Okta: ['okta.com'] },
  ...{ JetBrains: ['jetbrains.com'], Atlassian: ['atlassian.com'], Stripe: ['stripe.com'] },
  ...{ Salesforce: ['salesforce.com'], Cloudflare: ['cloudflare.com'], PayPal: ['paypal.com'] },
};
// cspell:enable
const CHECKED = /verified|official/;
const UNCHECKED = /^un(?:verified|official)(?:ly)?$/;

/** What a reader takes the text for: small Latin letters, in words. */
function readings(name: string): readonly string[] {
  const plain = [...name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')]
    .map((letter) => READS_AS[letter] ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
  const words = plain.split(/[^a-z]+/).filter((word) => word !== '');
  return [...words, words.join('')];
}

const reading = (name: string): string => readings(name).at(-1) ?? '';

/** Why a client may not call itself so, for people; undefined when it may. */
export function clientNameProblem(name: string): string | undefined {
  const read = reading(name);
  if (read.includes(reading(OURS)))
    return 'must not contain the name of this service: people would take the client for a part of it';
  const claims = readings(name)
    .slice(0, -1)
    .filter((word) => !UNCHECKED.test(word))
    .join('');
  return CHECKED.test(claims)
    ? 'must not say that the client is verified or official: no one has checked it'
    : undefined;
}

/**
 * The known name that this one reads as, or differs from in one letter. Undefined for their own names, and where the verified
 * host belongs to the known name.
 */
export function resembledName(name: string, verifiedHost?: string): string | undefined {
  const read = readings(name);
  const found = Object.entries(KNOWN).find(([known, hosts]) => {
    const wanted = reading(known);
    const looksLike =
      read.at(-1)?.includes(wanted) === true || read.some((word) => isAlmost(word, wanted));
    return looksLike && !hosts.some((host) => isWithin(verifiedHost, host));
  });
  return found?.[0];
}

const isWithin = (host: string | undefined, domain: string): boolean =>
  host === domain || host?.endsWith(`.${domain}`) === true;

/** Short names have too many neighbors among usual words. */
const LEAST_LETTERS = 6;

/** One letter is another, missing, further, or in the place of its neighbor. */
function isAlmost(word: string, wanted: string): boolean {
  if (wanted.length < LEAST_LETTERS || Math.abs(word.length - wanted.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === wanted[start]) start += 1;
  let end = 0;
  const shorter = Math.min(word.length, wanted.length);
  while (end < shorter - start && word.at(-1 - end) === wanted.at(-1 - end)) end += 1;
  const [left, right] = [
    word.slice(start, word.length - end),
    wanted.slice(start, wanted.length - end),
  ];
  return (
    Math.max(left.length, right.length) <= 1 ||
    (left.length === 2 && left === [...right].reverse().join(''))
  );
}

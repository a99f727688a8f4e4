/**
 * Where a client may have its code sent: https, http of the person's own machine, or a scheme that an app has
 * registered there.
 */

/** Of one URI, and of the id of a client that is a URL. */
export const URI_LENGTH = 2_000;

// cspell:disable
/** Schemes that no app of a client owns, because the machine or its browser opens them itself. */
const FORBIDDEN_SCHEMES = new Set([
  // What browsers run, read or show themselves.
  ...['javascript', 'livescript', 'vbscript', 'data', 'blob', 'filesystem', 'file', 'about'],
  ...['view-source', 'view', 'jar', 'resource', 'res', 'wyciwyg', 'mhtml', 'feed', 'devtools'],
  ...['chrome', 'edge', 'brave', 'opera', 'vivaldi', 'ws', 'wss', 'cid', 'mid', 'urn', 'content'],
  // What opens a browser or another app at an address inside the URI.
  ...['intent', 'android-app', 'googlechrome', 'googlechromes', 'microsoft-edge', 'firefox'],
  ...['firefox-focus', 'touch-http', 'touch-https', 'x-safari-http', 'x-safari-https'],
  // Servers of other protocols.
  ...['ftp', 'ftps', 'tftp', 'sftp', 'scp', 'ssh', 'telnet', 'tn3270', 'rlogin', 'rsync', 'gopher'],
  ...['smb', 'cifs', 'afp', 'nfs', 'dav', 'davs', 'webdav', 'webdavs', 'ldap', 'ldaps', 'ldapi'],
  ...['rdp', 'vnc', 'news', 'snews', 'nntp', 'irc', 'ircs', 'xmpp', 'imap', 'pop', 'git', 'svn'],
  ...['jdbc', 'magnet', 'webcal', 'webcals'],
  // What calls, writes or pays.
  ...['mailto', 'tel', 'telprompt', 'callto', 'sms', 'smsto', 'mms', 'mmsto', 'facetime'],
  ...['facetime-audio', 'sip', 'sips', 'skype', 'im', 'geo', 'maps', 'bitcoin', 'lightning'],
  // Programs of the operating system.
  ...['shell', 'search', 'hcp', 'its', 'mk', 'help', 'x-man-page', 'applescript', 'prefs'],
  ...['app-settings', 'market', 'itms', 'itmss', 'itms-apps', 'itms-appss', 'itms-services'],
]);

/** Families of such schemes: of Windows, of extensions of browsers, and of pages that open links for others. */
const FORBIDDEN_PREFIXES = /^(?:ms-|chrome-|moz-|safari-|edge-|search-|ext\+|web\+|x-apple|x-ms-)/;
// cspell:enable

/** What the redirect of RFC 6749 and RFC 9207 adds. A client that finds one twice may read the wrong one. */
const ADDED_PARAMETERS = new Set([
  'code',
  'state',
  'iss',
  'error',
  'error_description',
  'error_uri',
]);

/** What a URI is made of: no white space, no control characters, and nothing that programs read in two ways. */
const URI_TEXT = /^[a-z][a-z0-9+.-]*:[!#$%&'()*+,./0-9:;=?@A-Z[\]_a-z~-]+$/i;

/** An empty one, too: some programs drop it, and others call another address. */
const USER_INFO = /^[^:]+:\/\/[^/?]*@/;

/** The person's own machine, in the spellings that people know. Only there a program may choose its port each time. */
const LOOPBACK_ORIGIN = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d+)?(?=[/?]|$)/;

/** Why a URI may not be registered, for people; undefined when it may. */
export function redirectUriProblem(text: string): string | undefined {
  if (text.length > URI_LENGTH) return `must have at most ${URI_LENGTH} characters`;
  if (!URI_TEXT.test(text) || !URL.canParse(text)) return 'must be an absolute URI';
  // Browsers read `https:/path` as a path of the page it stands on.
  if (/^https?:(?!\/\/[^/])/i.test(text)) return 'must have a host after https:// or http://';
  const url = new URL(text);
  const address = addressProblem(text, url);
  if (address !== undefined) return address;
  if (text.includes('#')) return 'must not have a fragment';
  if (USER_INFO.test(text)) return 'must not contain a user name or a password';
  const added = parametersOf(text).find((name) => ADDED_PARAMETERS.has(name));
  if (added !== undefined) return `must not have a parameter ${added}, which the response adds`;
  switch (url.protocol) {
    case 'https:':
      return undefined;
    case 'http:':
      return LOOPBACK_ORIGIN.test(text)
        ? undefined
        : 'must be https, unless it leads to 127.0.0.1, [::1] or localhost';
    default:
      return isAppScheme(url.protocol.slice(0, -1))
        ? undefined
        : 'must be https, http of this machine, or a scheme of an app';
  }
}

const OWN_ADDRESSES: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]']);
const ADDRESS = /^(?:[\d.]+|\[.*\])$/;

/** Programs read `127.1`, `2130706433` and `0x7f.0.0.1` as one address, and people as none. */
function addressProblem(text: string, { protocol, hostname }: URL): string | undefined {
  if (!/^https?:$/.test(protocol) || !ADDRESS.test(hostname)) return undefined;
  const [, host] = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*?)(?::\d*)?(?=[/?#]|$)/i.exec(text) ?? [];
  // In its own spelling it would be refused, too.
  const isElsewhere = protocol === 'http:' && !OWN_ADDRESSES.has(hostname);
  return host === hostname || isElsewhere ? undefined : `must have its address as ${hostname}`;
}

/**
 * RFC 8252 wants a domain in reverse, but apps in use have short names, such as `cursor`. One letter is a drive of Windows.
 * `scheme`: in small letters, as URL parsers return it.
 */
const isAppScheme = (scheme: string): boolean =>
  scheme.length > 1 && !FORBIDDEN_SCHEMES.has(scheme) && !FORBIDDEN_PREFIXES.test(scheme);

/** By their names, as programs read them. */
function parametersOf(uri: string): string[] {
  const start = uri.indexOf('?');
  return start < 0 ? [] : [...new URLSearchParams(uri.slice(start + 1)).keys()];
}

/** Whether the URI of a request is one of the registered ones, character for character. The port of a loopback URI is free. */
export function isRegistered(wanted: string, registered: readonly string[]): boolean {
  if (redirectUriProblem(wanted) !== undefined) return false;
  return registered.some((each) => each === wanted || isSameLoopback(each, wanted));
}

function isSameLoopback(registered: string, wanted: string): boolean {
  const [ours, theirs] = [registered, wanted].map((uri) => uri.replace(LOOPBACK_ORIGIN, '$1'));
  return LOOPBACK_ORIGIN.test(registered) && LOOPBACK_ORIGIN.test(wanted) && ours === theirs;
}

/** The URI with further parameters. What is registered stays as it is. */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(parameters).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given).toString()}`;
}

/** Time zones, as the browser knows them, with UTC, which browsers leave out. They are found by cities, too. */

/** Browsers name these by the older or by the newer name. */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Louisville': 'America/Kentucky/Louisville',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** Large cities whose zone has the name of another one. */
const CITIES: Readonly<Record<string, string>> = {
  'America/Chicago': 'Austin, Dallas, Houston, Minneapolis',
  'America/Los_Angeles': 'Portland, San Diego, San Francisco, Seattle',
  'America/New_York': 'Atlanta, Boston, Miami, Philadelphia, Washington',
  'America/Sao_Paulo': 'Brasília, Rio de Janeiro, São Paulo',
  'America/Toronto': 'Montreal, Ottawa',
  'Africa/Johannesburg': 'Cape Town, Durban, Pretoria',
  'Asia/Dubai': 'Abu Dhabi',
  'Asia/Ho_Chi_Minh': 'Hanoi',
  'Asia/Jerusalem': 'Tel Aviv',
  'Asia/Karachi': 'Islamabad, Lahore',
  'Asia/Kolkata': 'Bengaluru, Chennai, Delhi, Hyderabad, Mumbai, Pune',
  'Asia/Shanghai': 'Beijing, Guangzhou, Shenzhen',
  'Asia/Tokyo': 'Kyoto, Osaka',
  'Australia/Sydney': 'Canberra',
  'Europe/Berlin': 'Cologne, Frankfurt, Hamburg, Munich',
  'Europe/London': 'Edinburgh, Manchester',
  'Europe/Madrid': 'Barcelona',
  'Europe/Rome': 'Milan',
  'Europe/Zurich': 'Geneva, Zürich',
};

/** The newer name of a zone. */
const zoneName = (zone: string): string => RENAMED[zone] ?? zone;

/** That of this browser. */
export const ownZone = (): string => zoneName(Intl.DateTimeFormat().resolvedOptions().timeZone);

interface ZoneOption {
  readonly value: string;
  readonly label: string;
  /** What it is found by, too. */
  readonly keywords: string;
}

export function zoneOptions(): readonly ZoneOption[] {
  const older = new Map(Object.entries(RENAMED).map(([old, name]) => [name, old]));
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')].map(zoneName));
  return [...names].toSorted().map((zone) => ({
    ...{ value: zone, label: zone },
    keywords: [zone.replaceAll('_', ' '), older.get(zone) ?? '', CITIES[zone] ?? ''].join(' '),
  }));
}

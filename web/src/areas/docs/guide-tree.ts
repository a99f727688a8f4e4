/** A page of the guides as data, so that nothing of it is ever markup. `web/build/guides/` makes it from Markdown. */

/** Text, or text that is more than that. */
export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly parts: readonly Inline[] }
  /** To another guide, or to a heading of this page: `guide` is its id. */
  | {
      readonly kind: 'guide';
      readonly guide: string;
      readonly anchor?: string;
      readonly parts: readonly Inline[];
    }
  /** To a path of this service, or to another site. */
  | { readonly kind: 'link'; readonly href: string; readonly parts: readonly Inline[] }
  /** To a file that only the source has, by its path there. */
  | { readonly kind: 'source'; readonly path: string; readonly parts: readonly Inline[] };

export interface Picture {
  readonly kind: 'picture';
  readonly alt: string;
  /** Indices of the pictures of the page. */
  readonly light: number;
  readonly dark?: number;
  /** Pixels at which the page wants it. */
  readonly width?: number;
}

export interface Table {
  readonly kind: 'table';
  readonly head: readonly (readonly Inline[])[];
  readonly rows: readonly (readonly (readonly Inline[])[])[];
}

export interface Heading {
  /** 1 is the title of the page. */
  readonly level: number;
  readonly anchor: string;
  readonly text: string;
}

export interface Code {
  readonly kind: 'code';
  readonly language: string;
  /** The file that the reader makes of it. */
  readonly file?: string;
  readonly text: string;
}

export type Block =
  | ({ readonly kind: 'heading'; readonly parts: readonly Inline[] } & Heading)
  | { readonly kind: 'paragraph'; readonly parts: readonly Inline[] }
  | {
      readonly kind: 'list';
      readonly isOrdered: boolean;
      readonly items: readonly (readonly Block[])[];
    }
  | Code
  | Table
  | Picture;

/** A file that the build has, and its size in pixels. */
export interface PictureFile {
  readonly src: string;
  readonly width: number;
  readonly height: number;
}

export interface Guide {
  readonly blocks: readonly Block[];
  readonly pictures: readonly PictureFile[];
}

/** What lists of pages need of one. */
export interface Outline {
  readonly title: string;
  /** Without the title. */
  readonly headings: readonly Heading[];
  /** The pages that it links to, by section of the page: for the order of all pages. */
  readonly links: readonly { readonly section: string; readonly guide: string }[];
}

/** From one heading to the next: what a search finds. */
export interface Section {
  /** Empty for the beginning of a page. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

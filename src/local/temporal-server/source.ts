/** Where a Temporal CLI can be downloaded. */

/** Puts a CLI into this folder and returns its path. What it throws says who could not do what. */
export type Download = (folder: string, signal?: AbortSignal) => Promise<string>;

export interface Source {
  readonly name: string;
  readonly download: Download;
}

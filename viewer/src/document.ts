// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// View documents as cli/view_document.cpp writes them, and where they come
// from: the server of `clearance view`, or this page itself when it was exported.

export type Vector = [number, number, number];
/** x, y, z of the translation, then x, y, z, w of the quaternion. */
export type PoseNumbers = [number, number, number, number, number, number, number];
export type State = 'bad' | 'warning' | 'allowed' | 'good' | 'neutral';

/** A stretch of the buffer: offset in bytes, count in elements. */
export interface ArrayRef {
  offset: number;
  count: number;
}

export interface Geometry {
  center: Vector;
  triangles: number;
  positions: ArrayRef;
  normals: ArrayRef;
  faces: ArrayRef;
  edges: ArrayRef;
}

export interface Motion {
  times: number[];
  steps: boolean;
  poses?: PoseNumbers[];
  pivot?: Vector;
  points?: ArrayRef;
}

export interface Item {
  name: string;
  group: string;
  shape: 'mesh' | 'spheres' | 'lines';
  colour: string;
  opacity: number;
  visible: boolean;
  explodes: boolean;
  pose: PoseNumbers;
  geometry?: number;
  outlined?: boolean;
  spheres?: ArrayRef;
  lines?: ArrayRef;
  width?: number;
  values?: ArrayRef;
  legend?: number;
  colours?: ArrayRef;
  level?: number;
  owner?: number;
  motion?: Motion;
  shown?: [number, number];
}

export interface Legend {
  title: string;
  low: number;
  high: number;
  unitsPerOne: number;
  stops: string[];
  beyond: string;
  ticks: number[];
}

export interface Focus {
  label: string;
  point: Vector;
  radius: number;
  items: number[];
  show: number[];
  line?: [Vector, Vector];
  time?: number;
}

export interface MatrixCell {
  row: number;
  column: number;
  state: State;
  text: string;
  words: string;
  focus?: number;
}

export interface Matrix {
  title: string;
  labels: string[];
  items: number[];
  cells: MatrixCell[];
}

export interface TableRow {
  cells: string[];
  state: State;
  focus?: number;
}

export interface Table {
  title: string;
  columns: string[];
  rows: TableRow[];
}

export interface Series {
  name: string;
  dashed: boolean;
  x: number[];
  y: (number | null)[];
}

export interface Plot {
  title: string;
  series: Series[];
  limit?: number;
}

export interface Mark {
  span: [number, number];
  state: State;
  label: string;
  focus?: number;
}

export interface Timeline {
  label: string;
  unit: string;
  low: number;
  high: number;
  start: number;
  seconds: number;
  marks: Mark[];
}

export interface Filter {
  label: string;
  items: number[];
  low: number;
  high: number;
}

export interface ViewDocument {
  schema: string;
  version: number;
  kind: string;
  title: string;
  summary: string;
  state: State;
  unit: string;
  facts: [string, string][];
  messages: { state: State; text: string }[];
  towardsEye: Vector;
  region?: [Vector, Vector];
  geometries: Geometry[];
  items: Item[];
  legends: Legend[];
  focuses: Focus[];
  firstFocus?: number;
  matrix?: Matrix;
  tables: Table[];
  plots: Plot[];
  timeline?: Timeline;
  filter?: Filter;
  levels: string[];
  firstLevel: number;
  /** Follows the events of the server. */
  live?: boolean;
}

/** A document and its arrays. */
export interface Loaded {
  document: ViewDocument;
  buffer: ArrayBuffer;
}

/** What the tabs need to know before a document is loaded. */
export interface Listed {
  title: string;
  kind: string;
}

export interface Source {
  list: Listed[];
  load(index: number): Promise<Loaded>;
}

const viewVersion = 1;

/** Throws when the text is not a document this page can show. */
export function parseDocument(text: string): ViewDocument {
  const json = JSON.parse(text) as Partial<ViewDocument>;
  if (json.schema !== 'clearance.view') throw new Error('This is not a view document of Clearance.');
  if (json.version !== viewVersion) {
    throw new Error(`The document is version ${String(json.version)}; this page shows version ${viewVersion}.`);
  }
  return json as ViewDocument;
}

export function decodeBase64(text: string): ArrayBuffer {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

async function fetched(path: string): Promise<Response> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The server answered ${response.status} to ${path}. Does clearance view still run?`);
  return response;
}

/** The documents inside this page, or those of the server it came from. */
export async function findSource(): Promise<Source> {
  const inside = [...document.querySelectorAll<HTMLScriptElement>('script.view-document')];
  if (inside.length > 0) {
    const documents = inside.map((element) => parseDocument(element.textContent ?? ''));
    const buffers = [...document.querySelectorAll<HTMLScriptElement>('script.view-buffer')];
    return {
      list: documents.map(({ title, kind }) => ({ title, kind })),
      load: async (index) => {
        const found = documents[index];
        if (!found) throw new Error('There is no such document.');
        return { document: found, buffer: decodeBase64(buffers[index]?.textContent ?? '') };
      },
    };
  }
  return {
    list: (await (await fetched('documents.json')).json()) as Listed[],
    load: async (index) => {
      const [json, bin] = await Promise.all([fetched(`document/${index}.json`), fetched(`document/${index}.bin`)]);
      return { document: parseDocument(await json.text()), buffer: await bin.arrayBuffer() };
    },
  };
}

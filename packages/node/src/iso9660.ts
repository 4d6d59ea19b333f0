const sectorBytes = 2048;
const systemSectors = 16;
/** Zeros at the end, as on other discs: systems that read ahead, or look for other filesystems, must not run into it. */
const paddingSectors = 150;

export interface IsoOptions {
  /** The name by which guests find the volume, such as `cidata`; at most 16 characters. */
  readonly volumeLabel: string;
  /** Content by path; directories come from the slashes. */
  readonly files: Readonly<Record<string, Buffer | string>>;
  /** A boot sector of up to 2 KiB that a BIOS loads from the disc. */
  readonly bootSector?: Buffer;
}

/**
 * A CD-ROM image of the given files, as ISO 9660 with Joliet names: Linux and Windows show the files under exactly
 * the given names, other systems under shorter ones in capitals.
 *
 * @example
 * isoImage({ volumeLabel: 'cidata', files: { 'meta-data': '{"instance-id": "1"}', 'user-data': '#cloud-config\n' } });
 */
export function isoImage({ volumeLabel, files, bootSector }: IsoOptions): Buffer {
  checkLabel(volumeLabel);
  const root = directoryTree(files);
  const directories = allDirectories(root);
  const contents = directories.flatMap(({ files }) => files);

  // Where everything is: descriptors, boot catalog, the two name spaces with their path tables, then the files.
  let sector = systemSectors + (bootSector ? 4 : 3);
  const take = (bytes: number): Extent => {
    const extent = { sector, bytes };
    sector += Math.ceil(bytes / sectorBytes);
    return extent;
  };
  const catalog = bootSector && take(sectorBytes);
  const boot = bootSector && take(sectorBytes);
  const spaces = [plainNames, jolietNames].map((names) => placeNames(names, directories, take));
  const places = new Map(contents.map((file) => [file, take(file.content.length)]));

  take(paddingSectors * sectorBytes);

  const image = Buffer.alloc(sector * sectorBytes);
  const put = (data: Buffer, at: number) => data.copy(image, at * sectorBytes);
  const [plain, joliet] = spaces.map((space) => {
    put(pathTable(space, 'little'), space.littleTable.sector);
    put(pathTable(space, 'big'), space.bigTable.sector);
    for (const directory of directories) put(directoryExtent(space, directory, places), space.of(directory).sector);
    return volumeDescriptor(space, root, volumeLabel, sector);
  }) as [Buffer, Buffer];
  const descriptors = [plain, ...(catalog ? [bootDescriptor(catalog.sector)] : []), joliet, terminator()];
  for (const [index, descriptor] of descriptors.entries()) put(descriptor, systemSectors + index);
  if (bootSector && catalog && boot) {
    put(bootCatalog(boot.sector), catalog.sector);
    put(bootSector, boot.sector);
  }
  for (const [{ content }, place] of places) put(content, place.sector);
  return image;
}

interface Extent {
  readonly sector: number;
  readonly bytes: number;
}

interface File {
  readonly name: string;
  readonly content: Buffer;
}

interface Directory {
  readonly name: string;
  readonly parent: Directory;
  readonly directories: Directory[];
  readonly files: File[];
}

/** One of the two ways in which a disc names its files. */
interface Names {
  readonly joliet: boolean;
  /** The name as it is written, unlike all in `taken`. */
  readonly encode: (entry: File | Directory, taken: ReadonlySet<string>) => Buffer;
}

interface Space {
  readonly names: Names;
  readonly directories: readonly Directory[];
  readonly nameOf: (entry: File | Directory) => Buffer;
  readonly of: (directory: Directory) => Extent;
  readonly littleTable: Extent;
  readonly bigTable: Extent;
}

function checkLabel(label: string): void {
  if (!/^[A-Za-z0-9_-]{1,16}$/.test(label)) {
    throw new Error(`volume label ${JSON.stringify(label)}: must be 1 to 16 letters, digits, - and _`);
  }
}

function newDirectory(name: string, parent?: Directory): Directory {
  const directory = { name, directories: [], files: [] };
  return Object.assign(directory, { parent: parent ?? (directory as unknown as Directory) });
}

function directoryTree(files: IsoOptions['files']): Directory {
  const root = newDirectory('');
  for (const [path, content] of Object.entries(files)) {
    const steps = path.split('/');
    const name = steps.pop()!;
    if ([...steps, name].some((step) => !/^[^\0-\x1f*/:;?\\]{1,64}$/.test(step) || step === '.' || step === '..')) {
      throw new Error(`${JSON.stringify(path)} is not a valid file name on a CD-ROM`);
    }
    let directory = root;
    for (const step of steps) {
      const known = directory.directories.find((child) => child.name === step);
      const next = known ?? newDirectory(step, directory);
      if (!known) directory.directories.push(next);
      directory = next;
    }
    directory.files.push({ name, content: Buffer.from(content) });
  }
  return root;
}

/** The directory and all below it, level by level, as path tables want them. */
function allDirectories(root: Directory): Directory[] {
  const all = [root];
  const byName = (a: Directory, b: Directory) => (a.name.toUpperCase() < b.name.toUpperCase() ? -1 : 1);
  for (const directory of all) all.push(...directory.directories.toSorted(byName));
  return all;
}

/** Capitals, digits and underscores, files with a version, as every system can read them. */
const plainNames: Names = {
  joliet: false,
  encode(entry, taken) {
    const [stem = '', extension = ''] = entry.name.toUpperCase().split(/\.(?=[^.]*$)/);
    const clean = (text: string, length: number) => text.replace(/[^A-Z0-9]/g, '_').slice(0, length);
    for (let number = 0; ; number++) {
      const suffix = number === 0 ? '' : `_${number}`;
      const base = clean(stem, 20 - suffix.length) + suffix;
      const name = 'content' in entry ? `${base}.${clean(extension, 8)};1` : base;
      if (!taken.has(name)) return Buffer.from(name, 'latin1');
    }
  },
};

/** Unicode, as given. */
const jolietNames: Names = {
  joliet: true,
  encode: (entry) => Buffer.from(entry.name, 'utf16le').swap16(),
};

function placeNames(names: Names, directories: readonly Directory[], take: (bytes: number) => Extent): Space {
  const encoded = new Map<File | Directory, Buffer>();
  for (const directory of directories) {
    const taken = new Set<string>();
    for (const entry of [...directory.directories, ...directory.files]) {
      const name = names.encode(entry, taken);
      taken.add(name.toString('latin1'));
      encoded.set(entry, name);
    }
  }
  const nameOf = (entry: File | Directory) => encoded.get(entry) ?? Buffer.from([0]);
  const tableBytes = directories.reduce((bytes, directory) => bytes + 8 + even(nameOf(directory).length), 0);
  const [littleTable, bigTable] = [take(tableBytes), take(tableBytes)];
  const extents = new Map(directories.map((directory) => [directory, take(directoryBytes(directory, nameOf))]));
  return { names, directories, nameOf, of: (directory) => extents.get(directory)!, littleTable, bigTable };
}

const even = (length: number): number => length + (length & 1);

/** Every entry in the order of its written name, after the two for the directory itself and its parent. */
function entriesOf(directory: Directory, nameOf: Space['nameOf']): (File | Directory)[] {
  return [...directory.directories, ...directory.files].sort((a, b) => Buffer.compare(nameOf(a), nameOf(b)));
}

/** Records do not cross sectors. */
function directoryBytes(directory: Directory, nameOf: Space['nameOf']): number {
  let bytes = 2 * 34;
  for (const entry of entriesOf(directory, nameOf)) {
    bytes = afterRecord(bytes, recordBytes(nameOf(entry)));
  }
  return Math.ceil(bytes / sectorBytes) * sectorBytes;
}

const recordBytes = (name: Buffer): number => 33 + name.length + (name.length & 1 ? 0 : 1);

const afterRecord = (at: number, length: number): number => startOfRecord(at, length) + length;

const startOfRecord = (at: number, length: number): number =>
  (at % sectorBytes) + length > sectorBytes ? Math.ceil(at / sectorBytes) * sectorBytes : at;

function directoryExtent(space: Space, directory: Directory, files: ReadonlyMap<File, Extent>): Buffer {
  const data = Buffer.alloc(space.of(directory).bytes);
  record(Buffer.from([0]), space.of(directory), true).copy(data, 0);
  record(Buffer.from([1]), space.of(directory.parent), true).copy(data, 34);
  let at = 68;
  for (const entry of entriesOf(directory, space.nameOf)) {
    const isFile = 'content' in entry;
    const bytes = record(space.nameOf(entry), isFile ? files.get(entry)! : space.of(entry), !isFile);
    at = startOfRecord(at, bytes.length);
    bytes.copy(data, at);
    at += bytes.length;
  }
  return data;
}

function record(name: Buffer, { sector, bytes }: Extent, isDirectory: boolean): Buffer {
  const data = Buffer.alloc(recordBytes(name));
  data[0] = data.length;
  writeBoth32(data, 2, sector);
  writeBoth32(data, 10, bytes);
  // A date is required; the same one always makes the same image of the same files.
  data.set([100, 1, 1, 0, 0, 0, 0], 18);
  data[25] = isDirectory ? 2 : 0;
  writeBoth16(data, 28, 1);
  data[32] = name.length;
  name.copy(data, 33);
  return data;
}

function pathTable({ directories, nameOf, of }: Space, order: 'little' | 'big'): Buffer {
  return Buffer.concat(
    directories.map((directory) => {
      const name = nameOf(directory);
      const entry = Buffer.alloc(8 + even(name.length));
      entry[0] = name.length;
      const parent = directories.indexOf(directory.parent) + 1;
      if (order === 'little') {
        entry.writeUInt32LE(of(directory).sector, 2);
        entry.writeUInt16LE(parent, 6);
      } else {
        entry.writeUInt32BE(of(directory).sector, 2);
        entry.writeUInt16BE(parent, 6);
      }
      name.copy(entry, 8);
      return entry;
    }),
  );
}

function volumeDescriptor(space: Space, root: Directory, label: string, totalSectors: number): Buffer {
  const { joliet } = space.names;
  const data = descriptor(joliet ? 2 : 1);
  const text = (value: string, at: number, length: number) => {
    const padded = joliet ? value.padEnd(length / 2) : value.padEnd(length);
    (joliet ? Buffer.from(padded, 'utf16le').swap16() : Buffer.from(padded, 'latin1')).copy(data, at, 0, length);
  };
  text('', 8, 32);
  text(label, 40, 32);
  writeBoth32(data, 80, totalSectors);
  if (joliet) data.write('%/E', 88, 'latin1');
  writeBoth16(data, 120, 1);
  writeBoth16(data, 124, 1);
  writeBoth16(data, 128, sectorBytes);
  writeBoth32(data, 132, space.littleTable.bytes);
  data.writeUInt32LE(space.littleTable.sector, 140);
  data.writeUInt32BE(space.bigTable.sector, 148);
  record(Buffer.from([0]), space.of(root), true).copy(data, 156);
  text('', 190, 128);
  for (const at of [318, 446, 574]) text('', at, 128);
  for (const at of [702, 739, 776]) text('', at, joliet ? 36 : 37);
  for (const at of [813, 830, 847, 864]) data.write('0000000000000000', at, 'latin1');
  data[881] = 1;
  return data;
}

function descriptor(type: number): Buffer {
  const data = Buffer.alloc(sectorBytes);
  data[0] = type;
  data.write('CD001', 1, 'latin1');
  data[6] = 1;
  return data;
}

const terminator = (): Buffer => descriptor(255);

function bootDescriptor(catalogSector: number): Buffer {
  const data = descriptor(0);
  data.write('EL TORITO SPECIFICATION', 7, 'latin1');
  data.writeUInt32LE(catalogSector, 71);
  return data;
}

/** One entry for a BIOS, without emulation of a floppy or hard disk. */
function bootCatalog(bootSector: number): Buffer {
  const data = Buffer.alloc(sectorBytes);
  data[0] = 1;
  data.writeUInt16LE(0xaa55, 30);
  let sum = 0;
  for (let at = 0; at < 32; at += 2) sum += data.readUInt16LE(at);
  data.writeUInt16LE(-sum & 0xffff, 28);
  data[32] = 0x88;
  data.writeUInt16LE(sectorBytes / 512, 38);
  data.writeUInt32LE(bootSector, 40);
  return data;
}

/** The format has most numbers twice, in both byte orders. */
function writeBoth32(data: Buffer, at: number, value: number): void {
  data.writeUInt32LE(value, at);
  data.writeUInt32BE(value, at + 4);
}

function writeBoth16(data: Buffer, at: number, value: number): void {
  data.writeUInt16LE(value, at);
  data.writeUInt16BE(value, at + 2);
}

export type ViewerKind = 'pdf' | 'sheet' | 'image' | 'audio' | 'video' | 'document'

const endings: Record<ViewerKind, readonly string[]> = {
  pdf: ['pdf'],
  sheet: [
    'xlsx',
    'xlsm',
    'xltx',
    'xltm',
    'xls',
    'xlsb',
    'xlt',
    'ods',
    'ots',
    'fods',
    'csv',
    'tsv',
    'tab',
    'parquet',
    'pq',
  ],
  image: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'ico', 'heic', 'heif', 'tif', 'tiff', 'psd'],
  audio: ['mp3', 'm4a', 'aac', 'wav', 'ogg', 'oga', 'opus', 'flac', 'weba'],
  video: ['mp4', 'm4v', 'webm', 'ogv', 'mov'],
  document: [
    'docx',
    'docm',
    'dotx',
    'doc',
    'odt',
    'ott',
    'fodt',
    'rtf',
    'pptx',
    'pptm',
    'ppsx',
    'potx',
    'ppt',
    'odp',
    'otp',
    'fodp',
    'epub',
    'eml',
    'msg',
    'mbox',
    'mht',
    'mhtml',
    'vcf',
    'ics',
    'zip',
    'jar',
    'war',
    'apk',
    'tar',
    'tgz',
    'gz',
    'bz2',
    'xz',
    'zst',
    '7z',
  ],
}

const byEnding = new Map(
  Object.entries(endings).flatMap(([kind, list]) => list.map((ending) => [ending, kind as ViewerKind] as const)),
)

/** The viewer of a file by its name. Undefined for text and unknown files. */
export function viewerOf(name: string): ViewerKind | undefined {
  return byEnding.get(/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '')
}

/** True for tables that people edit as text. */
export function isTextTable(name: string): boolean {
  return /\.(csv|tsv|tab)$/i.test(name)
}

/** A file that viewers show: one of the workspace, or an attachment. */
export interface ViewedFile {
  /** Path in the workspace, or the name of an attachment. */
  path: string
  /** Hash of the attachment. Absent for files of the workspace. */
  blob?: string | undefined
}

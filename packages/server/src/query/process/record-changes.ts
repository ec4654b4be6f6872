/** A change of the records of a text file. Records count from 0. */
export interface RecordChanges {
  deleted: ReadonlySet<number>
  /** New texts by column, for records that stay. */
  changed: ReadonlyMap<number, ReadonlyMap<number, string | null>>
  /** New records, one text per column. */
  added: readonly (readonly (string | null)[])[]
}

/** Records of a text file by their place in it. What is not a record, such as a header, stays as it is. */
export interface RawRecords {
  count: number
  /** The text with the changes. Records that do not change keep every character. */
  apply(changes: RecordChanges): string
}

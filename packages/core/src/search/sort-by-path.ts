/** The order of ripgrep's `--sort=path`: names of a folder by their characters, what a folder holds in its place. */
export function sortByPath<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, key: pathOf(item).replaceAll('/', '\0') }))
    .toSorted((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
    .map(({ item }) => item)
}

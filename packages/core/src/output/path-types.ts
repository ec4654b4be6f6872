/**
 * Paths into a type, as they are written in code: `title`, `items`, `items[0].title`, `items[*].title`, `scores.anna`,
 * `scores.*`; `''` is the whole. They are offered to depth 8 and checked to any depth by `ValueAt`, which also knows
 * those in slash style: `items/0/title`, `items/*`.
 */
export type PathOf<T> = '' | Below<T, '', []> | `${string}/${string}`

/** The type of what a path leads to, without `undefined`: what arrived is there. `never` for a path that leads nowhere. */
export type ValueAt<T, P extends string> = P extends '' ? T : IsSlashed<P> extends true ? WalkSlashed<T, P> : Walk<T, P>

/** `P` if it leads somewhere in `T`, else `never`: makes a wrong path a compile error where a path is a parameter. */
export type ValidPath<T, P extends string> = [ValueAt<T, P>] extends [never] ? never : P

type Depth = readonly unknown[]
type Leaf = string | number | bigint | boolean | symbol | null | undefined | Date | ((...args: never[]) => unknown)
type IsAny<T> = 0 extends 1 & T ? true : false
type IsLoose<T> = IsAny<T> extends true ? true : unknown extends T ? true : false

type Below<T, Prefix extends string, Levels extends Depth> =
  IsLoose<T> extends true
    ? `${Prefix}${string}`
    : Levels['length'] extends 8
      ? T extends Leaf
        ? never
        : `${Prefix}${string}`
      : T extends Leaf
        ? never
        : T extends readonly (infer Item)[]
          ? Step<Item, `${Prefix}[${number | '*'}]`, Levels>
          : T extends object
            ? {
                [K in keyof T & (string | number)]-?: string extends K
                  ? `${Dotted<Prefix>}${string}` | `${Prefix}["${string}`
                  : Step<T[K], Join<Prefix, K>, Levels>
              }[keyof T & (string | number)]
            : never

type Step<T, Path extends string, Levels extends Depth> = Path | Below<T, Path, [...Levels, unknown]>

type Dotted<Prefix extends string> = Prefix extends '' ? '' : `${Prefix}.`

/** A key with a separator in it is quoted, as in `files["a.txt"]`. */
type Join<Prefix extends string, K extends string | number> = `${K}` extends
  | ''
  | '*'
  | `${string}${'.' | '/' | '[' | ']' | '"'}${string}`
  | `${number}`
  ? `${Prefix}["${K}"]`
  : `${Dotted<Prefix>}${K}`

type Walk<T, P extends string> = P extends ''
  ? Exclude<T, undefined>
  : P extends `["${infer Key}"]${infer Rest}`
    ? Walk<Property<T, Key>, Rest>
    : P extends `[${infer Index}]${infer Rest}`
      ? Index extends '*' | `${number}`
        ? Walk<Item<T, Index>, Rest>
        : never
      : P extends `.${infer Rest}`
        ? Rest extends '' | `.${string}` | `[${string}`
          ? never
          : WalkKey<T, Rest>
        : WalkKey<T, P>

type WalkKey<T, P extends string> = P extends `${infer Key}${'.' | '['}${string}`
  ? Key extends `${infer Head}${'.' | '['}${string}`
    ? WalkHead<T, P, Head>
    : WalkHead<T, P, Key>
  : Property<T, P> extends infer Value
    ? Exclude<Value, undefined>
    : never

type WalkHead<T, P extends string, Head extends string> = P extends `${Head}${infer Rest}`
  ? Walk<Property<T, Head>, Rest>
  : never

/** A slash inside quotes belongs to the key. */
type IsSlashed<P extends string> = P extends `${string}["${string}`
  ? false
  : P extends `${string}/${string}`
    ? true
    : false

type WalkSlashed<T, P extends string> = P extends `/${infer Rest}` ? WalkPieces<T, Rest> : WalkPieces<T, P>

type WalkPieces<T, P extends string> = P extends `${infer Piece}/${infer Rest}`
  ? WalkPieces<Piecewise<T, Piece>, Rest>
  : Exclude<Piecewise<T, P>, undefined>

type Piecewise<T, Piece extends string> = Piece extends ''
  ? never
  : Piece extends `"${infer Key}"`
    ? Property<T, Key>
    : Piece extends '*' | `${number}`
      ? Item<T, Piece> | Property<T, Piece>
      : Property<T, Piece>

/** One member of a union that has the key is enough. */
type Property<T, Key extends string> =
  IsLoose<T> extends true
    ? unknown
    : T extends Leaf | readonly unknown[]
      ? never
      : Key extends keyof T
        ? T[Key]
        : Key extends `${infer N extends number}`
          ? N extends keyof T
            ? T[N]
            : RecordValue<T>
          : RecordValue<T>

type RecordValue<T> = T extends object ? (string extends keyof T ? T[keyof T & string] : never) : never

type Item<T, Index extends string> =
  IsLoose<T> extends true
    ? unknown
    : T extends readonly unknown[]
      ? Index extends keyof T
        ? T[Index]
        : T[number]
      : never

/** Destinations whose text is not part of the document. */
export const skippedDestinations = new Set(
  'colortbl filetbl listtable listoverridetable revtbl rsidtbl generator xmlnstbl themedata colorschememapping datastore latentstyles nonshppict bkmkstart bkmkend xe tc template private sp formfield datafield userprops pgdsctbl panose falt blipuid wgrffmtfilter objdata pict objclass atnid atnref atndate atnicn atntime atnparent keywords comment doccomm operator category manager company hlinkbase subject mmathPr ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn passwordhash writereservhash htmltag mhtmltag background pntxtb pntxta fchars lchars'.split(
    ' ',
  ),
)
/** Destinations marked as optional whose text is read. */
export const optionalDestinations = new Set([
  'shpinst',
  'shptxt',
  'shppict',
  'fldinst',
  'annotation',
  'atnauthor',
  'pn',
  'pntext',
  'listtext',
  'footnote',
  'moMath',
  'mmath',
  'moMathPara',
  'ud',
  'aftn',
  'upr',
])
/** Destinations whose text is collected apart from the body. */
export const framedDestinations = new Set([
  'footnote',
  'header',
  'headerl',
  'headerr',
  'headerf',
  'footer',
  'footerl',
  'footerr',
  'footerf',
  'fldinst',
  'fldrslt',
  'annotation',
  'atnauthor',
  'listtext',
  'pntext',
  'shptxt',
  'fonttbl',
  'stylesheet',
  'title',
  'author',
  'info',
  'upr',
])
/** Control words that are one character. */
export const namedCharacters: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  softline: '\n',
}

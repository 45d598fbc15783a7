/** A drawing of each kind of farm, seen from above; decorative: its name is next to it. */

type Ground = 'water' | 'soil' | 'cliff' | 'sand' | 'meadow' | 'tree' | 'wall' | 'roof' | 'crop' | 'eye'
/** What is drawn on the grass, from back to front. */
type Layer = readonly [ground: Ground, path: string]

const circle = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0z`
const tree = (x: number, y: number) => `${circle(x, y, 4)}M${x - 1} ${y + 3}h2v4h-2z`
const house = (x: number, y: number): readonly Layer[] => [
  ['wall', `M${x - 5} ${y}h10v6h-10z`],
  ['roof', `M${x - 7} ${y}l7-6 7 6z`],
]
const field = (x: number, y: number, width: number, height: number): readonly Layer[] => [
  ['soil', `M${x} ${y}h${width}v${height}h-${width}z`],
  [
    'crop',
    Array.from(
      { length: Math.floor(height / 4) },
      (_, row) => `M${x + 1} ${y + 1 + row * 4}h${width - 2}v2h-${width - 2}z`,
    ).join(''),
  ],
]

/** By the game's number of the kind. */
const kinds: readonly (readonly Layer[])[] = [
  // Standard: open land.
  [
    ...field(7, 20, 34, 20),
    ['water', 'M48 30c5-3 11-1 11 4s-5 7-10 5-6-7-1-9z'],
    ...house(50, 13),
    ['tree', tree(8, 8) + tree(20, 7)],
  ],
  // Riverland: islands in a river.
  [
    ['water', 'M0 0h64v48h-64z'],
    [
      'meadow',
      'M0 0h26c3 8-6 13-14 13S2 12 0 11zM38 4c10-4 20-2 22 5s-6 11-15 10-15-12-7-15zM8 24c8-5 20-3 21 4s-9 11-18 9-10-9-3-13zM40 30c8-3 18-1 19 5s-8 9-16 8-11-10-3-13z',
    ],
    ...house(48, 12),
    ['tree', tree(8, 5) + tree(18, 28)],
  ],
  // Forest: trees around, and ponds.
  [
    ['meadow', 'M16 14c10-8 30-6 34 6s-4 20-18 19-26-17-16-25z'],
    ['water', 'M24 28c4-3 10-1 10 3s-5 5-8 4-5-5-2-7z'],
    ...house(42, 18),
    [
      'tree',
      [
        [6, 7],
        [17, 5],
        [29, 5],
        [5, 19],
        [7, 31],
        [6, 41],
        [18, 40],
        [58, 29],
        [57, 40],
        [46, 41],
        [59, 8],
      ]
        .map(([x = 0, y = 0]) => tree(x, y))
        .join(''),
    ],
  ],
  // Hill-top: cliffs, and a stream between them.
  [
    ['cliff', 'M0 26h22l6 6v6l-6 10H0zM0 18V6h14l6 6v6z'],
    ['meadow', 'M0 26h22l6 5H14l-4 4H0zM0 6h14l6 5H8l-3 3H0z'],
    ['water', 'M34 0h6c-2 8 3 12 1 20s-6 10-3 18l4 10h-7c-5-12-2-16 0-24s-3-12-1-24z'],
    ...house(53, 14),
    ['tree', tree(52, 32) + tree(60, 38) + tree(25, 8)],
  ],
  // Wilderness: a lake, and monsters at night.
  [
    ['cliff', 'M0 0h64v5l-10 4-12-3-14 4-12-4-16 4z'],
    ['water', 'M34 30c7-5 20-3 22 3s-8 10-17 8-11-7-5-11z'],
    ...house(50, 18),
    ['tree', tree(7, 18) + tree(16, 14) + tree(6, 38)],
    ['soil', 'M14 34c0-6 10-6 10 0v5H14z'],
    ['eye', circle(17, 34, 1.2) + circle(21, 34, 1.2)],
  ],
  // Four Corners: four parts around a pond.
  [
    ['cliff', 'M29 0h6v48h-6zM0 21h64v6H0z'],
    ['meadow', 'M29 8h6v6h-6zM29 34h6v6h-6zM10 21h6v6h-6zM48 21h6v6h-6z'],
    ['water', circle(32, 24, 7)],
    ...house(51, 10),
    ...field(6, 31, 18, 12),
    ['tree', tree(8, 6) + tree(19, 9) + tree(44, 34) + tree(56, 38)],
  ],
  // Beach: sand and the sea.
  [
    ['sand', 'M0 14c12-6 40-6 64-2v36H0z'],
    ['water', 'M0 36c8-4 14 0 22-2s12-8 22-8 14 4 20 2v20H0z'],
    ...house(49, 11),
    ...field(8, 20, 16, 8),
    ['tree', tree(8, 7) + tree(22, 6)],
  ],
  // Meadowlands: pastures, a fence and a coop.
  [
    ['meadow', 'M0 20c14-6 34-2 42 6s-2 22-8 22H0z'],
    ['water', 'M44 48c-4-10 4-16 12-18s8-1 8-1v19z'],
    ['wall', 'M6 28h26v2H6zM6 40h26v2H6zM6 26h2v18H6zM18 26h2v18h-2zM30 26h2v18h-2z'],
    ...house(52, 13),
    ...house(18, 14),
    ['eye', circle(12, 35, 1.6) + circle(24, 36, 1.6)],
  ],
]

/** @param kind the game's number of it */
export const FarmDrawing = ({ kind }: { readonly kind: number }) => (
  <svg class="farm-drawing" viewBox="0 0 64 48" aria-hidden="true">
    {kinds[kind]?.map(([ground, path], at) => (
      <path key={at} class={ground} d={path} />
    ))}
  </svg>
)

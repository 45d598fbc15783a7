/** Decorative drawings of one stroke: their meaning is in the text next to them or in a label. */
const paths = {
  farm: 'M3 11 12 4l9 7M5 10v10h14V10M10 20v-5h4v5',
  chat: 'M4 5h16v11H9l-5 4z',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20c.5-4 3-6 6.500-6s6 2 6.500 6M16 4.500a3.500 3.500 0 0 1 0 6.300M18 14.500c2 .8 3.200 2.600 3.500 5.500',
  cabins: 'M4 20V11l5-4 5 4v9zM14 20h6v-7l-3.500-3M8 20v-4h2.500v4',
  controls: 'M5 4v9M5 17v3M12 4v3M12 11v9M19 4v11M19 19v1M3 15h4M10 9h4M17 17h4',
  server: 'M4 5h16v6H4zM4 13h16v6H4zM7.500 8v.01M7.500 16v.01M11 8h5M11 16h5',
  schedules: 'M4 6h16v14H4zM4 10h16M8 3.500V7M16 3.500V7M12 13v2.500l2 1',
  history: 'M4 19V5M4 19h16M7.500 15l3.500-4 3 2.500L19 7',
  backups: 'M4 8.500V20h16V8.500M3 4h18v4.500H3zM12 11v6M9.500 14.500 12 17l2.500-2.500',
  saves: 'M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6',
  mods: 'M10 4.500a2 2 0 0 1 4 0V7h5v5h-1.500a2 2 0 0 0 0 4H19v4H5V7h5z',
  webhooks: 'M6 16.500V11a6 6 0 0 1 12 0v5.500l1.500 1.500h-15zM10 20.500h4',
  discord:
    'M7 7c3-1.300 7-1.300 10 0M7 17c3 1.300 7 1.300 10 0M7 7C4.500 10 3.500 14 4 17.500c1.500 1 2.500 1.500 3.500 1.500l1-1.500M17 7c2.500 3 3.500 7 3 10.500-1.500 1-2.500 1.500-3.500 1.500l-1-1.500M9 12.500v.5M15 12.500v.5',
  keys: 'M14.500 14a4.500 4.500 0 1 0-4-2.500L4 18v2.500h3V18h2.500v-2.500l2.500-2.300',
  accounts: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.500 20c.8-4 3.800-6 7.500-6s6.700 2 7.500 6',
  audit: 'M6 3h9l4 4v14H6zM9.500 10h6M9.500 13.500h6M9.500 17h3.500',
  settings:
    'M12 15.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400M12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.200 2.200M16.200 16.200l2.200 2.200M18.400 5.600l-2.200 2.200M7.800 16.200l-2.200 2.200',
  doctor: 'M3 12h4l2.500-6 4 12L16 12h5',
  more: 'M5 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2M12 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2M19 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2.500v2.500M20 14v.01M14 20v.01M17.500 20H20v-2.500',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  doubt: 'M12 8v5M12 16.500v.01M12 3.500 2.500 20h19z',
  before: 'm14.500 5.500-6.500 6.500 6.500 6.500',
  after: 'm9.500 5.500 6.500 6.500-6.500 6.500',
  send: 'M4 12 20 4l-5 16-3.500-6.500z',
  close: 'M6 6l12 12M18 6 6 18',
  leave: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
} as const
export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

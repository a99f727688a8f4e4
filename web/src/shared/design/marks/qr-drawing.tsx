/** The code as SVG. Cameras read dark on white, so it looks the same in light and dark. */
import { encode } from 'uqr';
import classes from './qr-code.module.css';

/** Modules of white around the code, as its standard asks for. */
const QUIET = 4;

export function QrDrawing({ data, label }: { readonly data: string; readonly label: string }) {
  const { size, data: rows } = encode(data, { ecc: 'M', border: QUIET });
  const path = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className={classes['qr']}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path.join('')} fill="#000" />
    </svg>
  );
}

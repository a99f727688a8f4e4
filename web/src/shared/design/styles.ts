/** Styles that others change, in the order in which later ones win. */
import './fonts.css';
import './tokens.css';
import './base.css';
import './button.module.css';
import './fields/field.module.css';

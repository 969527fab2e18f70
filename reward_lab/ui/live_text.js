// What live_text.py puts on a page: a text area that is being typed into tells its text after a pause in typing, and
// when the page is left. Streamlit has this for its one-line fields only (`live`); for its text areas Ctrl+Enter does
// it, which is pressed here in the reader's place. A form's fields are left alone: there it would send the form.

const FIELD = ".stTextArea textarea";

const pauses = new WeakMap();

export default function mount({ data, parentElement }) {
  const { ownerDocument: page } = parentElement;
  const typed = ({ target }) => {
    clearTimeout(pauses.get(target));
    pauses.set(
      target,
      setTimeout(() => tell(target), data.pause_ms),
    );
  };
  const leave = () => tell(page.activeElement);
  page.addEventListener("input", typed);
  page.defaultView.addEventListener("beforeunload", leave);
  return () => {
    page.removeEventListener("input", typed);
    page.defaultView.removeEventListener("beforeunload", leave);
  };
}

function tell(field) {
  if (field?.matches(FIELD) && field === field.ownerDocument.activeElement && !field.closest(".stForm")) {
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true }));
  }
}

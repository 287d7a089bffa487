// Before anything is painted or said: the colours and the language that were chosen here.
try {
  const theme = localStorage.getItem("parlour.theme");
  const motion = localStorage.getItem("parlour.motion");
  const language = localStorage.getItem("parlour.language");
  if (language && document.documentElement.dataset.languages?.includes(`"${language}"`))
    document.documentElement.lang = language;
  if (theme) document.documentElement.dataset.theme = theme;
  if (motion) document.documentElement.dataset.motion = motion;
} catch {
  /* nothing is kept here */
}

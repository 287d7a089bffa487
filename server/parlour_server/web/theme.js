// Before anything is painted: the colours that were chosen here.
try {
  const theme = localStorage.getItem("parlour.theme"), motion = localStorage.getItem("parlour.motion");
  if (theme) document.documentElement.dataset.theme = theme;
  if (motion) document.documentElement.dataset.motion = motion;
} catch { /* nothing is kept here */ }

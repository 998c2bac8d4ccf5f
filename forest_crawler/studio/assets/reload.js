// Shows results that are being made once they are there; a form that is being filled in stays.
const reload = () => {
  if (!document.activeElement?.closest("main form")) location.reload();
};
setInterval(reload, 3000);

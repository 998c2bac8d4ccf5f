// Shows the results of a running evaluation once they are there.
setTimeout(() => location.reload(), 3000);

process.stdout.write("clawport\n");

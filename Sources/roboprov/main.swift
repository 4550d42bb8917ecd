import RoboprovCLI

await Roboprov.start()

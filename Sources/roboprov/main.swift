import RoboprovCLI

Roboprov.start()

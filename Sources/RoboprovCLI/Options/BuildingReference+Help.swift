import Application
import ArgumentParser

extension BuildingReference {
  static let help = ArgumentHelp(
    "The building: its manifest, or its id (its folder in the reports directory).",
    valueName: "building.yaml or id")
}

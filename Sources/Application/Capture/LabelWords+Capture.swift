import Model

extension LabelWords {
  package static func sentence(_ refusal: Capture.Refusal) -> String {
    switch refusal {
    case .text(let problem): sentence(problem)
    case .taken(let device, let room):
      "\(device.description.visible) is already the sensor of \(room): compare the label"
    case .beyondAll(let label): "\(label) is the highest possible address: compare the label"
    }
  }
}

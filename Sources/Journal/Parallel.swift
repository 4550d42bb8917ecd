@preconcurrency import Dispatch
import EventLoop

/// Work on all cores at once.
enum Parallel {
  /// The results for these inputs, in their order. Returns when all are done.
  /// - Throws: the error of the first input, in their order, that has one.
  static func map<Input: Sendable, Output: Sendable, Failure: Error>(
    _ inputs: [Input], _ transform: @Sendable (Input) throws(Failure) -> Output
  ) throws(Failure) -> [Output] {
    let results = Lock([Result<Output, Failure>?](repeating: nil, count: inputs.count))
    withoutActuallyEscaping(transform) { transform in
      DispatchQueue.concurrentPerform(iterations: inputs.count) { index in
        let result = Result { () throws(Failure) in try transform(inputs[index]) }
        results.withLock { $0[index] = result }
      }
    }
    var outputs: [Output] = []
    for result in results.withLock({ $0 }) {
      guard let result else { preconditionFailure("not every input was worked on") }
      outputs.append(try result.get())
    }
    return outputs
  }
}

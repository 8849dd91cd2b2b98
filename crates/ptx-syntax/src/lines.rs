//! Modules apart from where their parts stand.

use super::module::{Function, Item, Module, Statement, Variable};

impl Module {
    /// The module with all lines set to 0, to compare texts that differ in layout.
    #[must_use]
    pub fn without_lines(mut self) -> Self {
        for item in &mut self.items {
            match item {
                Item::Variable(variable) => variable.line = 0,
                Item::Function(function) => clear_function(function),
            }
        }
        self
    }
}

fn clear_function(function: &mut Function) {
    function.line = 0;
    clear_variables(&mut function.results);
    clear_variables(&mut function.parameters);
    clear_statements(function.body.as_deref_mut().unwrap_or_default());
}

fn clear_variables(variables: &mut [Variable]) {
    for variable in variables {
        variable.line = 0;
    }
}

fn clear_statements(statements: &mut [Statement]) {
    for statement in statements {
        match statement {
            Statement::Variable(variable) => variable.line = 0,
            Statement::Instruction(instruction) => instruction.line = 0,
            Statement::Block(block) => clear_statements(block),
            Statement::CallPrototype { results, parameters, .. } => {
                clear_variables(results);
                clear_variables(parameters);
            }
            Statement::Registers { .. }
            | Statement::Label(_)
            | Statement::Pragma(_)
            | Statement::Location(_)
            | Statement::BranchTargets { .. }
            | Statement::CallTargets { .. } => {}
        }
    }
}
